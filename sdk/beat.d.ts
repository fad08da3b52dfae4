/** Types of beat.js. */
export declare const STEPS: readonly (readonly [until: number, seconds: number])[];
export declare const OWN_SECONDS: number;
export declare const LONGEST_SECONDS: number;
export declare const PLACE_SECONDS: number;
export declare function nextPause(unchanged: number, named?: number, isExpected?: boolean): number;
