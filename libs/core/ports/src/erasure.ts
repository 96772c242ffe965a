/** Value of the header `flatline-command` of a record without a value: nothing of its key is to stay (E1). */
export const ERASE = 'ERASE';
