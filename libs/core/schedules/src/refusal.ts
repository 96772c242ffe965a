/** Why a record is refused: as its dead letter says it (I1). */
export interface Bad {
  readonly kind: 'bad';
  readonly reason: string;
  readonly detail: string;
}

export function bad(reason: string, detail: string): Bad {
  return { kind: 'bad', reason, detail };
}
