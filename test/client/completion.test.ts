// Shell completion: what can follow the words of a command line, and the scripts in the shells themselves, where those are installed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { ASSETS, completionsOf } from '../../client/src/cli/completion-command.ts'
import { COMMANDS } from '../../client/src/cli/commands.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { COMPILE_CACHE } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MAIN = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url))
const complete = (line: string): readonly string[] => completionsOf(line.split(' '), COMMANDS)

test('completes commands, options, assets, intervals, operations and fields', () => {
  assert.deepEqual(complete('pri'), ['prices'])
  assert.ok(complete('').includes('status') && complete('').includes('vaults'))
  assert.deepEqual(complete('place s'), ['stop-limit', 'stop-loss'].filter((name) => COMMANDS.some((command) => command.name === `place ${name}`)))
  assert.deepEqual(complete('candles B'), ['BTC', 'BNB', 'BCH'])
  assert.deepEqual(complete('candles b'), ['BTC', 'BNB', 'BCH'])
  assert.deepEqual(complete('candles BTC --interval 1'), ['1m', '15m', '1h', '1d', '1w'])
  assert.deepEqual(complete('candles BTC --inter'), ['--interval'])
  assert.deepEqual(complete('candles --interval 5m B'), ['BTC', 'BNB', 'BCH'], 'the value of an option is no argument')
  assert.deepEqual(complete('quote BTC l'), ['long'])
  assert.deepEqual(complete('do deposit_c'), ['deposit_cross_margin'])
  assert.deepEqual(complete('do deposit_cross_margin a'), ['amount='])
  assert.deepEqual(complete('watch trades.B'), ['trades.BTC', 'trades.BNB', 'trades.BCH'])
  assert.deepEqual(complete('call listTrad'), ['listTrades', 'listTraderLedger'].filter((name) => complete('call ').includes(name)))
  assert.ok(complete('trades -').includes('--opens') && complete('trades -').includes('--json'))
  assert.deepEqual(complete('trades --json --js'), [], 'an option is offered once')
  assert.deepEqual(complete('limits BTC '), [])
  assert.deepEqual(complete('candles BTC --interval=1'), ['--interval=1m', '--interval=15m', '--interval=1h', '--interval=1d', '--interval=1w'])
  assert.deepEqual(complete('candles BTC --interval=1m --inter'), [])
  assert.deepEqual(complete('leaders --sort=v'), ['--sort=volume'])
  assert.deepEqual(complete('place limit BTC long 5 --when '), ['above', 'below'])
  assert.deepEqual(complete('prices --key-file '), [], 'files are left to the shell')
  assert.deepEqual(complete('nothing x'), [])
  assert.deepEqual([...ASSETS].toSorted(), [...ASSET_SYMBOLS].toSorted())
})

/** Runs a script of a shell in which the program is on the PATH. */
async function runShell(shell: string, script: string): Promise<string> {
  await using folder = await temporaryFolder()
  const program = join(folder.path, 'perpetual-exchange-client')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(program, 0o755)
  const environment = { PATH: `${folder.path}:${process.env['PATH'] ?? ''}`, NODE_COMPILE_CACHE: COMPILE_CACHE, HOME: folder.path }
  const { stdout, stderr, status } = spawnSync(shell, ['-c', script], { env: environment, encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout
}

const withoutShell = (shell: string): string | false => (spawnSync(shell, ['-c', ':']).error === undefined ? false : `needs ${shell}, which is not installed`)

test('bash completes with the script', { skip: withoutShell('bash') }, async () => {
  const out = await runShell('bash', `
    source <(perpetual-exchange-client completion bash)
    complete -p perpetual-exchange-client
    complete_line() {
      COMP_LINE=$1; COMP_POINT=\${#1}; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _perpetual_exchange_client; echo "\${#COMPREPLY[@]} \${COMPREPLY[*]}"
    }
    complete_line 'perpetual-exchange-client candles B' perpetual-exchange-client candles B
    complete_line 'perpetual-exchange-client candles BTC --interval ' perpetual-exchange-client candles BTC --interval ''
    complete_line 'perpetual-exchange-client prices --key-file ' perpetual-exchange-client prices --key-file ''
    complete_line 'perpetual-exchange-client --url http://x:1  candles B' perpetual-exchange-client --url http : //x : 1 candles B
    complete_line 'perpetual-exchange-client leaders --limit=5 --sort=v' perpetual-exchange-client leaders --limit = 5 --sort = v
    complete_line 'perpetual-exchange-client leaders --sort=' perpetual-exchange-client leaders --sort =
    complete_line 'perpetual-exchange-client do deposit_cross_margin a' perpetual-exchange-client do deposit_cross_margin a
  `)
  assert.deepEqual(out.trimEnd().split('\n'), [
    'complete -o default -F _perpetual_exchange_client perpetual-exchange-client', '3 BTC BNB BCH', '7 1m 5m 15m 1h 4h 1d 1w', '0 ', '3 BTC BNB BCH',
    '1 volume', '2 pnl volume', '1 amount=',
  ])
})

test('zsh completes with the script', { skip: withoutShell('zsh') }, async () => {
  const out = await runShell('zsh', `
    autoload -Uz compinit && compinit -u -D
    source <(perpetual-exchange-client completion zsh)
    compadd() { print -r -- "$@" }
    _files() { print files }
    words=(perpetual-exchange-client candles B); CURRENT=3; _perpetual_exchange_client
    words=(perpetual-exchange-client candles BTC --interval ''); CURRENT=5; _perpetual_exchange_client
    words=(perpetual-exchange-client prices --key-file ''); CURRENT=4; _perpetual_exchange_client
    words=(perpetual-exchange-client leaders --sort=v); CURRENT=3; _perpetual_exchange_client
    words=(perpetual-exchange-client do deposit_cross_margin a); CURRENT=4; _perpetual_exchange_client
  `)
  assert.deepEqual(out.trimEnd().split('\n'), ['-- BTC BNB BCH', '-- 1m 5m 15m 1h 4h 1d 1w', 'files', '-- --sort=volume', '-S  -- amount='])
})
