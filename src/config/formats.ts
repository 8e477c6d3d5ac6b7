// Formats of environment variables.

import { isIP } from 'node:net'
import { isContractAddress } from '../base/strkey.ts'

export interface Format<Value> {
  /** Completes the sentence "<VARIABLE> must be …". */
  readonly expected: string
  /** Returns undefined if the text is invalid. */
  parse(text: string): Value | undefined
}

const PROXY_HOPS_MAX = 16
const HTTP = ['http:', 'https:'] as const

export const text: Format<string> = { expected: 'text', parse: (value) => value }

export function integer(min: number, max: number): Format<number> {
  return {
    expected: `an integer from ${min} to ${max}`,
    parse(value) {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      return number >= min && number <= max ? number : undefined
    },
  }
}

export function choice<const Choice extends string>(...choices: readonly Choice[]): Format<Choice> {
  return { expected: `one of ${choices.join(', ')}`, parse: (value) => choices.find((candidate) => candidate === value) }
}

export const onOff: Format<boolean> = {
  expected: 'on or off',
  parse: (value) => (value === 'on' ? true : value === 'off' ? false : undefined),
}

export function url(...protocols: readonly string[]): Format<string> {
  return {
    expected: `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    parse: (value) => (isUrl(value, protocols) ? value : undefined),
  }
}

export const httpUrl = url(...HTTP)

export const httpUrls: Format<readonly string[]> = {
  expected: 'a comma-separated list of http:// or https:// URLs',
  parse(value) {
    const urls = splitList(value)
    return urls.length > 0 && urls.every((item) => isUrl(item, HTTP)) ? urls : undefined
  },
}

export const httpUrlsOrOff: Format<readonly string[]> = {
  expected: 'off, or a comma-separated list of http:// or https:// URLs',
  parse: (value) => (value === 'off' ? [] : httpUrls.parse(value)),
}

export const origins: Format<'*' | readonly string[]> = {
  expected: '*, or a comma-separated list of origins as sent by browsers, such as https://app.example',
  parse(value) {
    if (value === '*') return '*'
    const parsed = splitList(value).map(parseOrigin)
    return parsed.length > 0 && parsed.every((item) => item !== undefined) ? parsed : undefined
  },
}

/** Host names in lower case; `*` allows any. */
export const hostnames: Format<readonly string[] | '*'> = {
  expected: '*, or a comma-separated list of host names without ports',
  parse(value) {
    if (value === '*') return '*'
    const hosts = splitList(value).map((host) => host.toLowerCase())
    return hosts.length > 0 && hosts.every((host) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) ? hosts : undefined
  },
}

/** The begin of a log's name, which may have no space and no plus sign. */
export const logOrigin: Format<string> = {
  expected: 'a host name, with a path if you like',
  parse: (value) => (/^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/.test(value) ? value : undefined),
}

/** Lower case, as Node stores header names. */
export const headerName: Format<string> = {
  expected: 'a header name of letters, digits and hyphens',
  parse: (value) => (/^[A-Za-z0-9-]{1,64}$/.test(value) ? value.toLowerCase() : undefined),
}

export const contractAddress: Format<string> = {
  expected: 'a contract address: C and 55 more characters, with a valid checksum',
  parse: (value) => (isContractAddress(value) ? value : undefined),
}

export const ratio: Format<number> = {
  expected: 'a number from 0 to 1',
  parse: (value) => (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(value) ? Number(value) : undefined),
}

export const list: Format<readonly string[]> = {
  expected: 'a comma-separated list',
  parse(value) {
    const items = splitList(value)
    return items.length > 0 ? items : undefined
  },
}

export const nameValuePairs: Format<Readonly<Record<string, string>>> = {
  expected: 'a comma-separated list of name=value pairs',
  parse(value) {
    const pairs = splitList(value).map((pair) => /^([\w-]+)=(.*)$/.exec(pair))
    if (pairs.some((pair) => pair === null)) return undefined
    return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? '']])))
  },
}

export const trustProxy: Format<boolean | number | readonly string[]> = {
  expected: `true, off, a number of hops (at most ${PROXY_HOPS_MAX}), or a comma-separated list of addresses and CIDR ranges`,
  parse(value) {
    if (value === 'false' || value === 'off') return false
    if (value === 'true') return true
    if (/^\d{1,2}$/.test(value) && Number(value) <= PROXY_HOPS_MAX) return Number(value)
    const ranges = splitList(value)
    return ranges.length > 0 && ranges.every(isAddressRange) ? ranges : undefined
  },
}

export function splitList(value: string): readonly string[] {
  return value.split(',').map((item) => item.trim()).filter((item) => item !== '')
}

/** Browsers send origins without a trailing slash, so one is removed. */
function parseOrigin(value: string): string | undefined {
  const parsed = isUrl(value, HTTP) ? new URL(value).origin : undefined
  return parsed === value || `${parsed}/` === value ? parsed : undefined
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}

function isAddressRange(value: string): boolean {
  const [address = '', prefix, more] = value.split('/')
  const family = isIP(address)
  if (family === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32))
}
