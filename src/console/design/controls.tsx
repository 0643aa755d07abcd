import { type KeyboardEvent, type MouseEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useMessages } from '../messages/index.ts';
import styles from './controls.module.css';
import { useLeaveGuard } from './leave-guard.ts';

// The rest of these parts comes with the first screen.
export * from './first-controls.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** At the side of the screen, for what one compares with the page. */
  readonly isAtSide?: boolean;
  /** Whether leaving would lose something. Where this is absent, it would after somebody typed or chose anything but a search. */
  readonly isUnsaved?: boolean | undefined;
  /** What is asked before something is lost. */
  readonly question?: string;
}

/**
 * A dialog of the browser: it keeps the focus, Escape closes it, and the focus goes back to where it was. What was typed in it is not lost
 * by that key, a link, nor the buttons of the browser: it asks first. It stands at the end of the page, so that a form in it is not inside the form that opened it. What is marked
 * with `data-first` has the focus first, else its first control.
 */
export function Dialog({ title, onClose, children, isAtSide = false, isUnsaved, question }: DialogProps) {
  const { leaveTyped } = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const isTyped = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    element?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      if (document.activeElement !== document.body || !(before instanceof HTMLElement)) return;
      // What opened the dialog may be gone with what the dialog has done.
      const title = document.querySelector<HTMLElement>('main h1');
      (before.isConnected ? before : title)?.focus();
    };
  }, []);
  /** React passes on what happens to a dialog, or to a choice of files, inside this one. */
  const isOwn = ({ target, currentTarget }: SyntheticEvent) => target === currentTarget;
  const isInside = ({ target, currentTarget }: SyntheticEvent) =>
    target instanceof Node && currentTarget.contains(target);
  const isHeld = () => isUnsaved ?? isTyped.current;
  const mayLeave = () => !isHeld() || confirm(question ?? leaveTyped);
  useLeaveGuard(isHeld, () => question ?? leaveTyped, { isInDialog: true, onLeave: onClose });
  /** The dialog is hidden when whoever opened it knows: a key that follows at once would find it open otherwise. */
  const leave = (event: SyntheticEvent) => {
    event.preventDefault();
    if (mayLeave()) onClose();
  };
  const follow = (event: MouseEvent) => {
    const link =
      isInside(event) && event.target instanceof Element && event.target.closest('a[href]:not([target], [download])');
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (link && !isElsewhere && !mayLeave()) event.preventDefault();
  };
  /** The browser cancels a dialog itself at a second Escape in a row, and nothing keeps it from that. So the key is taken before. */
  const hear = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.defaultPrevented || !isInside(event)) return;
    leave(event);
  };
  const note = (event: SyntheticEvent) => {
    const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search';
    if (isInside(event) && !isSearch) isTyped.current = true;
  };
  return createPortal(
    <dialog
      ref={dialog}
      className={styles['dialog']}
      data-place={isAtSide ? 'side' : undefined}
      aria-label={title}
      onInput={note}
      onKeyDown={hear}
      onClickCapture={follow}
      onCancel={(event) => isOwn(event) && leave(event)}
      onClose={(event) => isOwn(event) && onClose()}
    >
      <div className={styles['dialogBody']}>
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}

/** Buttons at the end of a dialog or a form. */
export function Buttons({ children }: { readonly children: ReactNode }) {
  return <div className={`${styles['row']} ${styles['end']}`}>{children}</div>;
}

/** What is known of one thing: names with their texts. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, text]) => [
        <dt key={`${name} name`} className={styles['small']}>
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
  /** What the table is called, where no heading says it. */
  readonly label?: string;
  /** Whether a column of buttons follows. */
  readonly hasDeeds?: boolean;
  /** Whether all columns but the first hold numbers. */
  readonly hasNumbers?: boolean;
  readonly children: ReactNode;
}

/** A table that scrolls by itself. On a phone each row is a card: every cell has the title of its column before it. */
export function Table({ titles, label, hasDeeds = false, hasNumbers = false, children }: TableProps) {
  const titleOf = Object.fromEntries(titles.map((title, at) => [`--title-${at + 1}`, JSON.stringify(title)]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a key scrolls it where it is wider than the screen
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      <table className={`${styles['table']} ${styles['cards']} ${hasNumbers ? styles['numbers'] : ''}`} style={titleOf}>
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
    </section>
  );
}
