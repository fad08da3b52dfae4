/** The languages by the names that they have themselves. */
export const NAMES: Readonly<Record<string, string>> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  vi: "Tiếng Việt",
  "zh-Hans": "简体中文",
};
