// Prepared transactions survive what changes until they are applied (docs/decisions/footprints.md). Other builds: footprints-builds.test.ts.

import { testMovement } from './movement-tests.ts'

testMovement('1')
testMovement('2.3')
