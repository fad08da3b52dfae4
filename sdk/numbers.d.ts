/** Types of numbers.js. */
interface Shown {
  readonly decimals: number | null;
  readonly unit?: string | null;
}
type Value = number | null | undefined;
export declare const TIME: string;
export declare function writeNumber(value: Value, metric: Shown, language: string | undefined): string;
export declare function writeWithUnit(value: Value, metric: Shown, language: string | undefined): string;
export declare function writeDigits(value: Value, metric: Shown): string | undefined;
