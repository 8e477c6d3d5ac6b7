import type { DecodePayload } from '../../src/relay/preview.ts'
import type { ReadConditions } from '../../src/relay/warnings.ts'

/** For relays whose previews do not matter: no event is decoded, and the state of the market is unknown. */
export const NO_PREVIEW: { readonly decodePayload: DecodePayload; readonly readConditions: ReadConditions } = {
  decodePayload: () => null,
  readConditions: () => Promise.resolve(null),
}
