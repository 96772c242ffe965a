/** Object that its owner fills repeatedly and others see as `T`. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
