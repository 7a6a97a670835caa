import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedPackage } from '../../test/support/test-package.ts';

/** Of ECharts, as far as used. */
export interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}

export interface PlotLibrary {
  echarts: { init(element: null, theme: null, options: object): Chart };
  resvg: { Resvg: new (svg: string, options: object) => { render(): { asPng(): Buffer } } };
  /** Folder of the DejaVu fonts. */
  fonts: string;
}

/** Installs them first where they are missing. */
export async function loadPlotLibrary(): Promise<PlotLibrary> {
  const folder = await installedPackage(join(process.cwd(), 'bench/plots'));
  const require = createRequire(join(folder, 'package.json'));
  return {
    echarts: require('echarts') as PlotLibrary['echarts'],
    resvg: require('@resvg/resvg-js') as PlotLibrary['resvg'],
    fonts: join(folder, 'node_modules/dejavu-fonts-ttf/ttf'),
  };
}
