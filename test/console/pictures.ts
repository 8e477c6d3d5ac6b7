// Golden pictures: screenshots that a test compares with stored ones. Text is drawn a little differently on each machine, so the comparison is of averages over
// four by four pixels, and allows a small share of them to differ.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'

/** Share of the areas that may differ. Other hinting and smoothing of text change up to 0.2 %; a missing button changes more. */
export const DIFFERENT_MAX = 0.005

export interface Pictures {
  /** Share of the areas of a screenshot (PNG) that differ from a golden picture; 1 if their sizes do. */
  difference(shot: Buffer, path: string): Promise<number>
  /** Stores a screenshot as a golden picture, at half its size. */
  store(shot: Buffer, path: string): Promise<void>
}

/** Maximum difference of an area's average in one color, of 255. */
const CHANNEL_MAX = 24
const STORED_SCALE = 2
const COMPARED_SCALE = 4
const QUALITY = 0.85

/** Runs in an empty page: browsers read and scale pictures. */
const IN_PAGE = `
  const load = async (url) => createImageBitmap(await (await fetch(url)).blob())
  const scaled = (image, width, height) => {
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, width, height)
    return context
  }
  const toUrl = async (blob) => new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsDataURL(blob)
  })
`

export async function createPictures(context: BrowserContext): Promise<Pictures> {
  const page: Page = await context.newPage()
  const pngUrl = (bytes: Buffer): string => JSON.stringify(`data:image/png;base64,${bytes.toString('base64')}`)
  return {
    async difference(shot, path) {
      const golden = `data:image/webp;base64,${(await readFile(path)).toString('base64')}`
      return page.evaluate<number>(`(async () => {
        ${IN_PAGE}
        const [shot, golden] = await Promise.all([load(${pngUrl(shot)}), load(${JSON.stringify(golden)})])
        const [width, height] = [Math.floor(shot.width / ${COMPARED_SCALE}), Math.floor(shot.height / ${COMPARED_SCALE})]
        if (Math.round(shot.width / ${STORED_SCALE}) !== golden.width || Math.round(shot.height / ${STORED_SCALE}) !== golden.height) return 1
        const [a, b] = [shot, golden].map((image) => scaled(image, width, height).getImageData(0, 0, width, height).data)
        let different = 0
        for (let at = 0; at < a.length; at += 4) {
          if ([0, 1, 2].some((channel) => Math.abs(a[at + channel] - b[at + channel]) > ${CHANNEL_MAX})) different += 1
        }
        return different / (width * height)
      })()`)
    },
    async store(shot, path) {
      const url = await page.evaluate<string>(`(async () => {
        ${IN_PAGE}
        const shot = await load(${pngUrl(shot)})
        const half = scaled(shot, Math.round(shot.width / ${STORED_SCALE}), Math.round(shot.height / ${STORED_SCALE}))
        return toUrl(await half.canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} }))
      })()`)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
    },
  }
}
