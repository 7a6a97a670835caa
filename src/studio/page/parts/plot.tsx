import { BarChart, GraphChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useRef, useState } from 'preact/hooks';

use([BarChart, GraphChart, LineChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

/** The colours of the page, for drawings. */
export interface Colours {
  text: string;
  quiet: string;
  line: string;
  surface: string;
  accent: string;
  second: string;
  third: string;
}

/** What a plot takes. */
export interface PlotProps {
  /** What it shows, in a sentence: for those who do not see it. The figures stand beside it too. */
  label: string;
  option: (colours: Colours) => EChartsCoreOption;
  height: 'low' | 'middle' | 'high';
  /** Called with the name of a node that was picked. */
  onPick?: (name: string) => void;
}

/** A drawing that follows the size and the colours of the page. */
export function Plot({ label, option, height, onPick }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const pick = useRef(onPick);
  pick.current = onPick;
  const chart = useRef<ReturnType<typeof init>>(null);
  const [hasRoom, setHasRoom] = useState(false);
  useEffect(() => {
    const made = init(box.current!);
    chart.current = made;
    made.on('click', ({ dataType, data }) => {
      if (dataType === 'node') pick.current?.(String((data as { name?: unknown }).name));
    });
    // A graph that is laid out in a box without width throws: a page that is being built, or is hidden, has such boxes.
    const fit = (): void => {
      const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
      const fits = clientWidth > 0 && clientHeight > 0;
      if (fits) made.resize();
      setHasRoom(fits);
    };
    fit();
    const resized = new ResizeObserver(fit);
    resized.observe(box.current!);
    return () => {
      resized.disconnect();
      made.dispose();
    };
  }, []);
  useEffect(() => {
    if (!hasRoom) return;
    // Notes at the pointer are drawn, not HTML: contents of the table are never markup.
    chart.current?.setOption({ tooltip: { renderMode: 'richText', confine: true }, ...option(coloursOf(theme)) }, true);
  }, [option, theme, hasRoom]);
  return <div ref={box} class={`plot ${height}`} role="img" aria-label={label} />;
}

/** Counts changes of the theme. */
function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const changed = (): void => setTheme((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    addEventListener('studio-theme', changed);
    return () => {
      system.removeEventListener('change', changed);
      removeEventListener('studio-theme', changed);
    };
  }, []);
  return theme;
}

/** The colours as the style sheet has them now. */
function coloursOf(_theme: number): Colours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    ...{ text: colour('text'), quiet: colour('quiet'), line: colour('line'), surface: colour('surface') },
    ...{ accent: colour('accent'), second: colour('second'), third: colour('third') },
  };
  probe.remove();
  return colours;
}
