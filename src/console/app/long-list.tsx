import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './shell.module.css';

const itemHeight = 28;

interface LongListProps {
  readonly names: readonly string[];
  /** The name of what is open. It comes into sight. */
  readonly current: string | undefined;
  readonly children: (name: string) => ReactNode;
}

/** A list that puts into the page only what is in sight. */
export function LongList({ names, current, children }: LongListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: names.length,
    getScrollElement: () => frame.current,
    estimateSize: () => itemHeight,
    overscan: 10,
  });
  const isFound = current !== undefined && names.includes(current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is in sight stays there while names come and go
  useEffect(() => {
    if (isFound) virtual.scrollToIndex(names.indexOf(current), { align: 'auto' });
  }, [current, isFound]);
  return (
    <div ref={frame} className={styles['long']}>
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <li
            key={key}
            aria-setsize={names.length}
            aria-posinset={index + 1}
            className={styles['placed']}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(names[index] ?? '')}
          </li>
        ))}
      </ul>
    </div>
  );
}
