// A real Redis for the tests that are about it.

/** The server that tests may use, or null; its keys are the tests' own. */
export function testRedisUrl(): string | null {
  return process.env['TEST_REDIS_URL'] ?? null
}

/** For `test(name, { skip })`: why a test that needs Redis does not run here, or false. */
export const WITHOUT_REDIS = testRedisUrl() === null ? 'needs a Redis server: set TEST_REDIS_URL' : false
