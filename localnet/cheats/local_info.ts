import { CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import { habitOf } from '../actors/habits.ts'
import { latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/dispatch.ts'
import { readParams } from './params.ts'

/** local_info: the deployment's fixed facts, and how the network stands. */
export function localInfo({ chain, crew, deployment, feed, ledgerMs, pacer, people }: Controls): ExtraMethod {
  return async (params) => {
    readParams(params, {})
    const { sequence, closeTimeSec } = latestView(chain)
    return {
      ledger: sequence,
      closeTime: closeTimeSec,
      clockOffsetSeconds: chain.clockOffsetSec,
      networkPassphrase: chain.networkPassphrase,
      ledgerMs,
      autoClose: pacer.running,
      contracts: Object.fromEntries(CONTRACT_KEYS.map((key) => [key, deployment[key]])),
      oracle: deployment.oracle,
      usdcAsset: deployment.usdcAsset,
      lpAsset: deployment.lpAsset,
      admin: people.admin.address,
      actors: {
        publisher: people.publisher.address,
        keeper: people.keeper.address,
        liquidityProviders: people.liquidityProviders.map((person) => person.address),
        vaultLeaders: people.vaultLeaders.map((person) => person.address),
        vaultDepositors: people.vaultDepositors.map((person) => person.address),
        traders: people.traders.map((person, index) => ({ address: person.address, habit: habitOf(index).name })),
      },
      actorsAtWork: crew.shifts(),
      // Funded accounts for anyone to use; on a network whose keys are made of public facts a secret is none.
      accounts: people.visitors.map(({ role, address, secret }) => ({ name: role, address, secret })),
      heldPrices: [...feed.holds()].map(([asset, quote]) => ({ asset, price: quote.price.toString(), ageSeconds: quote.ageSec })),
    }
  }
}
