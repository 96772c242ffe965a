// Loaded into `npm publish` before npm itself: npm's provenance statement is sent without a signature, for which
// npm would need an identity and Sigstore's servers.
import { registerHooks } from 'node:module';

const SIGNER = /\/node_modules\/sigstore\/dist\/index\.js$/;
/** The bundle that Sigstore's `attest` resolves with, without anything that proves something. */
const UNSIGNED = `exports.attest = async (payload, payloadType) => ({
  mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  verificationMaterial: { tlogEntries: [] },
  dsseEnvelope: { payload: payload.toString('base64'), payloadType, signatures: [] },
});`;

registerHooks({
  load: (url, context, next) =>
    SIGNER.test(url) ? { format: 'commonjs', source: UNSIGNED, shortCircuit: true } : next(url, context),
});
