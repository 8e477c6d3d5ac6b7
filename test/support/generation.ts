// The generation of the contracts that tests run on.

export type TestGeneration = '1' | '2'

const { TEST_GENERATION: value } = process.env

/** The generation of `npm test -- --generation=2`, for tests that otherwise run both. */
export const CHOSEN_GENERATION: TestGeneration | undefined = value === '1' || value === '2' ? value : undefined

/**
 * Generation that fixtures start unless the test chooses. A test whose figures are worked examples of the specification chooses generation 1 (docs/testing.md).
 */
export const TEST_GENERATION: TestGeneration = CHOSEN_GENERATION ?? '1'
