// A provenance statement: which workflow of which source made a tarball (in-toto's Statement v1, SLSA's provenance v1).

export interface Statement {
  readonly _type: string;
  readonly predicateType: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha512: string } }[];
  readonly predicate: object;
}

interface Bundle {
  readonly dsseEnvelope: { readonly payload: string };
}

/** The statement in a bundle as npm sends it to the registry, signed or not. */
export function statementIn(bundle: string | undefined): Statement | undefined {
  if (bundle === undefined) return undefined;
  const { dsseEnvelope } = JSON.parse(bundle) as Bundle;
  return JSON.parse(Buffer.from(dsseEnvelope.payload, 'base64').toString()) as Statement;
}
