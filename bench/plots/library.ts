import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedPackage } from '../../test/support/test-package.ts';

/** The part of ECharts that is used. */
interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}

export interface PlotLibrary {
  echarts: { init(element: null, theme: null, options: object): Chart };
  resvg: { Resvg: new (svg: string, options: object) => { render(): { asPng(): Buffer } } };
  fonts: string;
}

export const FONT = 'DejaVu Sans';
export const TEXT_COLOR = '#222222';

export function svgOf(
  { echarts }: PlotLibrary,
  size: { width: number; height: number },
  { title, subtitle, left, ...option }: { title: string; subtitle: string; left: number; [option: string]: unknown },
): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      textStyle: { fontFamily: FONT, color: TEXT_COLOR },
      title: {
        ...{ text: title, subtext: subtitle, left, top: 12 },
        textStyle: { fontSize: 18, color: TEXT_COLOR },
        subtextStyle: { fontSize: 13, color: TEXT_COLOR },
      },
      ...option,
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

export async function loadPlotLibrary(): Promise<PlotLibrary> {
  const folder = await installedPackage(join(process.cwd(), 'bench/plots'));
  const require = createRequire(join(folder, 'package.json'));
  return {
    echarts: require('echarts') as PlotLibrary['echarts'],
    resvg: require('@resvg/resvg-js') as PlotLibrary['resvg'],
    fonts: join(folder, 'node_modules/dejavu-fonts-ttf/ttf'),
  };
}
