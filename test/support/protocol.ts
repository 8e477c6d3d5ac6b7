// The protocol of the chains that tests create.

import { DEFAULT_PROTOCOL } from '../../localnet/ledger/protocol.ts'

const { TEST_LOCAL_PROTOCOL: value = '' } = process.env

/** Protocol that fixtures start unless the test chooses: TEST_LOCAL_PROTOCOL, which the local network refuses when it does not have it. */
export const TEST_PROTOCOL = value === '' ? DEFAULT_PROTOCOL : Number(value)
