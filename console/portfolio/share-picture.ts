// A position as a picture, drawn on a canvas in the page's colors. Nothing is loaded, so that the picture can be saved under the page's content policy.

import { readColors } from '../chart.ts'

export interface ShareTexts {
  /** "BTC long, 5×". */
  readonly title: string
  readonly isLong: boolean
  /** "+12.50%". */
  readonly result: string
  readonly isGain: boolean
  /** Name and value, below the result. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly footer: string
}

export const PICTURE = { width: 1_200, height: 630 } as const
const LEFT = 72
const FONT = 'Inter, system-ui, sans-serif'

/** Draws the picture, whose size is `PICTURE`. */
export function drawShare(canvas: HTMLCanvasElement, { title, isLong, result, isGain, facts, footer }: ShareTexts): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const { width, height } = PICTURE
  const colors = readColors()
  const style = getComputedStyle(document.documentElement)
  const text = (content: string, x: number, y: number, { size, color, weight = 400 }: { size: number; color: string; weight?: number }): void => {
    context.font = `${weight} ${size}px ${FONT}`
    context.fillStyle = color
    context.fillText(content, x, y)
  }
  canvas.width = width
  canvas.height = height
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, width, height)
  context.fillStyle = isLong ? colors.up : colors.down
  context.fillRect(0, 0, 14, height)
  const main = style.color
  text('Perpetual exchange', LEFT, 96, { size: 32, color: colors.text })
  text(title, LEFT, 190, { size: 56, color: isLong ? colors.up : colors.down, weight: 600 })
  text(result, LEFT, 350, { size: 140, color: isGain ? colors.up : colors.down, weight: 700 })
  for (const [index, [name, value]] of facts.entries()) {
    const x = LEFT + index * (width - 2 * LEFT) / Math.max(3, facts.length)
    text(name, x, 450, { size: 28, color: colors.text })
    text(value, x, 496, { size: 38, color: main, weight: 600 })
  }
  text(footer, LEFT, height - 48, { size: 26, color: colors.text })
}

/** The picture as a PNG file. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The browser could not make the picture.')) : resolve(blob)), 'image/png')
  })
}
