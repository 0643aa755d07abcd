import type { ReactNode } from 'react';
import { look } from '../design/controls.tsx';
import styles from './access.module.css';

/** What is known of one thing: names with their texts. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, text]) => [
        <dt key={`${name} name`} className={look.small}>
          {name}
        </dt>,
        <dd key={name}>
          <bdi>{text}</bdi>
        </dd>,
      ])}
    </dl>
  );
}

interface TableProps {
  readonly titles: readonly string[];
  /** Whether a column of buttons follows. */
  readonly hasDeeds?: boolean;
  readonly children: ReactNode;
}

/** A table that scrolls by itself where the screen is narrow. */
export function Table({ titles, hasDeeds = false, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <div className={look.scroll} tabIndex={0}>
      <table className={look.table}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            {hasDeeds && <td />}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
