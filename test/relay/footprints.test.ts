// Prepared transactions survive what changes until they are applied (docs/decisions/footprints.md), on the newest build. The others: footprints-builds.test.ts.

import { testMovement } from './movement-tests.ts'

testMovement('2.3')
