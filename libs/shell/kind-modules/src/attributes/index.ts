// Decides which attributes get in (E1), for those who assemble a kind themselves.
export {
  attributeRules,
  type AttributesConfig,
  attributesOf,
  HASH_KEY_BYTES_MIN,
  hashKeyId,
} from './attribute-settings.ts';
