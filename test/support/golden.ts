// Golden files: generated, and compared by a test. `npm run golden` writes all of them again, or those of the tests that it is given.

/** True if the tests write golden files instead of comparing them. */
export const UPDATES_GOLDEN = process.env['UPDATE_GOLDEN'] === '1'

/** The command that writes them, for the message of a test that found a difference. */
export const GOLDEN_COMMAND = 'npm run golden'
