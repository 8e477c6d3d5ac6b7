// The page's colors for charts on a canvas, which cannot use CSS variables.

import type { ChartOptions, DeepPartial, IChartApi } from 'lightweight-charts'
import { onThemeChange } from './theme.ts'

export interface Colors {
  readonly text: string
  readonly line: string
  readonly up: string
  readonly down: string
  readonly accent: string
  readonly warn: string
}

/** The style sheet's colors as computed values. */
export function readColors(): Colors {
  const probe = document.createElement('i')
  document.body.append(probe)
  const color = (name: string): string => {
    probe.className = `visually-hidden probe-${name}`
    return getComputedStyle(probe).color
  }
  const colors = {
    text: color('text'), line: color('line'), up: color('up'), down: color('down'), accent: color('accent'), warn: color('warn'),
  }
  probe.remove()
  return colors
}

/** Colors the chart now and after each change of the theme. Returns a function that stops it. */
export function applyTheme(chart: IChartApi, colorSeries: (colors: Colors) => void): () => void {
  const apply = (): void => {
    const colors = readColors()
    const options: DeepPartial<ChartOptions> = {
      layout: {
        background: { color: 'transparent' }, textColor: colors.text, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 11,
        panes: { separatorColor: colors.line },
      },
      grid: { vertLines: { visible: false }, horzLines: { color: colors.line } },
      rightPriceScale: { borderColor: colors.line },
      timeScale: { borderColor: colors.line, timeVisible: true, secondsVisible: false },
      localization: { locale: 'en-GB' },
    }
    chart.applyOptions(options)
    colorSeries(colors)
  }
  apply()
  return onThemeChange(apply)
}
