/** Types of cards.js. */
export declare const INDEX_SECONDS: number;
export declare function widePause(unchanged: number, named?: number): number;
export declare function cardPause(unchanged: number): number;
