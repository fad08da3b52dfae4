/*! How values of metrics are written: one rule for the site's pages and <laurel-board>. Apache-2.0. */

/** The unit of seconds that are shown as hours, minutes and seconds. */
export const TIME = "h:mm:ss";
/** The most decimals of a metric that has as many as its values need. */
export const MAX_DECIMALS = 4;
const formats = new Map();

/** Return a value of a metric without its unit; "–" if it is missing. */
export function writeNumber(value, { decimals, unit }, language) {
  if (value == null) return "–";
  const size = Math.abs(value);
  const [least, most] = [decimals ?? 0, decimals ?? MAX_DECIMALS];
  let text;
  if (isShort(size, decimals)) text = size.toExponential(2);
  else if (unit === TIME) text = writeTime(format("en", least, most, false).format(size));
  else text = format(language, least, most, true).format(size);
  // A typographic minus is as wide as a plus; zero has no sign.
  return value < 0 && /[1-9∞]/.test(text) ? `−${text}` : text;
}

/** Return a value with its unit: `12.30 s`. */
export function writeWithUnit(value, metric, language) {
  const text = writeNumber(value, metric, language);
  return value == null || !metric.unit || metric.unit === TIME ? text : `${text}\u202f${metric.unit}`;
}

/** Return all digits of a value that `writeNumber` rounds, else nothing. */
export function writeDigits(value, { decimals }) {
  if (value == null) return undefined;
  const shown = isShort(Math.abs(value), decimals) ? value.toExponential(2) : value.toFixed(decimals ?? MAX_DECIMALS);
  return Number(shown) === value ? undefined : String(value);
}

/** Return whether a value is so large, or so small, that it has three digits and an exponent. */
function isShort(size, decimals) {
  const isTiny = decimals == null && size > 0 && size < 10 ** -MAX_DECIMALS / 2;
  return isTiny || (size > Number.MAX_SAFE_INTEGER + 1 && size < Infinity);
}

function writeTime(seconds) {
  const [whole, fraction] = seconds.split(".");
  const pad = (number) => String(number % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const text = `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(whole)}`;
  return fraction ? `${text}.${fraction}` : text;
}

function format(language, minimumFractionDigits, maximumFractionDigits, useGrouping) {
  const key = `${language} ${minimumFractionDigits} ${maximumFractionDigits} ${useGrouping}`;
  const digits = { minimumFractionDigits, maximumFractionDigits, useGrouping };
  const made = formats.get(key) ?? new Intl.NumberFormat(language, digits);
  formats.set(key, made);
  return made;
}
