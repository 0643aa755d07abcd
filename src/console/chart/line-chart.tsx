import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useMessages } from '../messages/index.ts';
import styles from './chart.module.css';
import { figuresIn, type Line } from './chart-shape.ts';

interface LineChartProps {
  readonly label: string;
  readonly labels: readonly string[];
  readonly lines: readonly Line[];
  /** Somebody clicked a point. */
  readonly onPoint?: ((label: string) => void) | undefined;
}

const height = 220;
/** Of the text at an axis. */
const digitWidth = 7;

function longestOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

/** Values over time. The table beside it has the same figures for those who do not see the lines. */
export function LineChart({ label, labels, lines, onPoint }: LineChartProps) {
  const { code } = useMessages();
  const place = useRef<HTMLDivElement>(null);
  const hear = useEffectEvent((index: number | null | undefined) => {
    const point = typeof index === 'number' ? labels[index] : undefined;
    if (point !== undefined) onPoint?.(point);
  });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const color = (name: string) => getComputedStyle(element).getPropertyValue(name);
    const strokes = ['--accent', '--success', '--warning', '--danger', '--muted'].map(color);
    const text = figuresIn(code);
    const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: lines.length > 1 },
        scales: { x: { time: false } },
        axes: [
          { ...axis, values: (_, at) => at.map((index) => labels[index] ?? '') },
          // As wide as its longest figure: the picture cuts what has no room.
          {
            ...axis,
            values: (_, at) => at.map(text),
            size: (_, texts: readonly string[] | null) => 24 + digitWidth * longestOf(texts ?? []),
          },
        ],
        series: [
          {},
          ...lines.map(({ name, values }, index) => ({
            label: name,
            stroke: strokes[index % strokes.length] ?? '',
            width: 2,
            value: (_: uPlot, _value: number, _series: number, at: number | null) => text(values[at ?? -1] ?? null),
          })),
        ],
      },
      [
        labels.map((_, index) => index),
        ...lines.map(({ values }) => values.map((value) => (value === null ? null : Number(value)))),
      ],
      element,
    );
    chart.over.addEventListener('click', () => hear(chart.cursor.idx));
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [labels, lines, code]);
  return <div ref={place} role="img" aria-label={label} className={styles['plot']} />;
}
