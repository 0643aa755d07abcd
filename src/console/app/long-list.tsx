import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import styles from './shell.module.css';

const itemHeight = 28;

interface LongListProps {
  readonly names: readonly string[];
  readonly children: (name: string) => ReactNode;
}

/** A list of which only what is in sight is in the page. */
export function LongList({ names, children }: LongListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: names.length,
    getScrollElement: () => frame.current,
    estimateSize: () => itemHeight,
    overscan: 10,
  });
  return (
    <div ref={frame} className={styles['long']}>
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <li key={key} className={styles['placed']} style={{ transform: `translateY(${start}px)` }}>
            {children(names[index] ?? '')}
          </li>
        ))}
      </ul>
    </div>
  );
}
