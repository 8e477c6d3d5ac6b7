// Runs deploy/create-database.sh on a real server: the role it creates can run the gateway and has no other privileges.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { openStore } from '../../src/store/open.ts'
import { WITHOUT_OWN_POSTGRES, startPostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'

test('the gateway runs under a role without privileges beyond its own database', { skip: WITHOUT_OWN_POSTGRES }, async () => {
  await using folder = await temporaryFolder()
  await using server = await startPostgres(folder.path)
  const { hostname, port } = new URL(server.url)
  const environment = { ...process.env, PGHOST: hostname, PGPORT: port, POSTGRES_USER: 'postgres', GATEWAY_DB_PASSWORD: "it's a secret" }
  await promisify(execFile)('sh', [join(PROJECT_ROOT, 'deploy/create-database.sh')], { env: environment })

  const databaseUrl = `postgres://gateway@${hostname}:${port}/gateway`
  await using store = await openStore({ databaseUrl, dataDir: null, log: silentLog, clock: createSystemClock() })
  assert.ok(store)

  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const { rows } = await admin.query(
    `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolpassword like 'SCRAM-SHA-256$%' as hashed
     from pg_authid where rolname = 'gateway'`,
  )
  await admin.end()
  assert.deepEqual(rows, [{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false, hashed: true }])

  const gateway = new pg.Client({ connectionString: databaseUrl })
  await gateway.connect()
  for (const statement of ['create role another', 'create database another', 'select * from pg_authid', `select pg_read_file('postgresql.conf')`]) {
    await assert.rejects(gateway.query(statement), /permission denied/, statement)
  }
  await gateway.end()
})
