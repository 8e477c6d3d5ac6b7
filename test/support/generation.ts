// The generation of the contracts that tests run on.

export type TestGeneration = '1' | '2'

/**
 * What fixtures start when the test does not choose: 1, the specification's, or 2 with `TEST_GENERATION=2`. A test whose figures are worked examples of the
 * specification chooses `generation: '1'`; docs/testing.md says so for readers.
 */
export const TEST_GENERATION: TestGeneration = process.env['TEST_GENERATION'] === '2' ? '2' : '1'
