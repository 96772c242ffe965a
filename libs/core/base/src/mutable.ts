/** What its owner fills again and again, and others see as `T`. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
