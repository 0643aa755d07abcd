import { Link } from '@tanstack/react-router';
import {
  type ComponentProps,
  createContext,
  type FC,
  type ReactNode,
  type SyntheticEvent,
  use,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { useFirstMessages } from '../messages/index.ts';
import { RequestFailed } from '../wire/http.ts';
import styles from './controls.module.css';
import { hasLostFocus, noteScreen } from './focus.ts';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'primary' | 'danger' | 'quiet';
}

/** A button that is disabled while it acts has the focus again afterwards: the browser takes it away. */
export function Button({ look, type = 'button', ref, ...rest }: ButtonProps) {
  const own = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useImperativeHandle(ref, () => own.current as HTMLButtonElement);
  useLayoutEffect(() => {
    if (rest.disabled) hadFocus.current ||= document.activeElement === own.current;
    else if (hadFocus.current) {
      hadFocus.current = false;
      if (document.activeElement === document.body) own.current?.focus();
    }
  }, [rest.disabled]);
  return <button type={type} className={styles['button']} data-look={look} ref={own} {...rest} />;
}

/** The looks of buttons, inputs and rows, for elements of other libraries. */
export const look = {
  button: styles['button'] ?? '',
  input: styles['input'] ?? '',
  row: styles['row'] ?? '',
  /** Takes the room that a row has. */
  wide: styles['wide'] ?? '',
  small: styles['small'] ?? '',
  /** Is seen after a moment: what comes sooner does not flicker. */
  late: styles['late'] ?? '',
  /** A button that is an entry of a list. */
  choice: styles['choice'] ?? '',
  /** Around what may be wider than the screen. */
  scroll: styles['scroll'] ?? '',
  table: styles['table'] ?? '',
  /** A title, and links to the parts of a screen beside it. */
  head: styles['head'] ?? '',
  tab: styles['tab'] ?? '',
  /** A name that opens what it stands for. */
  open: styles['open'] ?? '',
  list: styles['list'] ?? '',
  form: styles['form'] ?? '',
  /** Around boxes that belong together. */
  choices: styles['choices'] ?? '',
};

export function Input(props: ComponentProps<'input'>) {
  return <input className={styles['input']} {...props} />;
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** At the side of the screen, for what one compares with the page. */
  readonly isAtSide?: boolean;
  /** Says whether Escape may close it; it may where this is absent. */
  readonly mayClose?: () => boolean;
}

/**
 * A dialog of the browser: it keeps the focus, Escape closes it, and the focus goes back to where it was. It stands at the end of the
 * page, so that a form in it is not inside the form that opened it.
 */
export function Dialog({ title, onClose, children, isAtSide = false, mayClose = () => true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => {
      if (document.activeElement !== document.body || !(before instanceof HTMLElement)) return;
      // What opened the dialog may be gone with what the dialog has done.
      const title = document.querySelector<HTMLElement>('main h1');
      (before.isConnected ? before : title)?.focus();
    };
  }, []);
  /** React passes on what happens to a dialog, or to a choice of files, inside this one. */
  const isOwn = ({ target, currentTarget }: SyntheticEvent) => target === currentTarget;
  /** The dialog is hidden when whoever opened it knows: a key that follows at once would find it open otherwise. */
  const cancel = (event: SyntheticEvent) => {
    if (!isOwn(event)) return;
    event.preventDefault();
    if (mayClose()) onClose();
  };
  return createPortal(
    <dialog
      ref={dialog}
      className={styles['dialog']}
      data-place={isAtSide ? 'side' : undefined}
      aria-label={title}
      onCancel={cancel}
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

/** What a screen is called. It gets the focus of whoever comes from another screen by a key. */
export function Title({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasLostFocus()) heading.current?.focus();
    noteScreen();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** Buttons at the end of a dialog or a form. */
export function Buttons({ children }: { readonly children: ReactNode }) {
  return <div className={`${styles['row']} ${styles['end']}`}>{children}</div>;
}

interface NoticeProps {
  readonly kind?: 'danger' | 'warning' | 'success';
  readonly title: string;
  readonly children?: ReactNode;
}

/** Something that people must see where it happened. Screen readers say it at once. */
export function Notice({ kind = 'danger', title, children }: NoticeProps) {
  return (
    <div className={styles['notice']} data-kind={kind} role={kind === 'success' ? 'status' : 'alert'}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** What a refusal offers besides its words. The application knows it; a look does not. */
export const RefusalHelp = createContext<FC<{ readonly refusal: RequestFailed }>>(() => null);

/** What went wrong, why, and what to do: as the server says it. */
export function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const messages = useFirstMessages();
  const Help = use(RefusalHelp);
  const failed = error instanceof RequestFailed ? error : undefined;
  if (failed?.status === 0) {
    return (
      <Notice title={messages.noAnswer}>
        <p>{messages.noAnswerNext}</p>
        {onRetry && <Retry error={error} onRetry={onRetry} />}
      </Notice>
    );
  }
  return (
    <Notice title={failed?.code === 'CUSTOMIZATION_FAILED' ? messages.codeFailed : error.message}>
      {failed && failed.problems.length > 1 && (
        <ul>
          {failed.problems.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {failed?.nextSteps.map((step) => (
        <p key={step}>{step}</p>
      ))}
      {(failed?.code ?? failed?.correlationId) && (
        <p className={styles['small']}>
          {failed?.code} {failed?.correlationId && `${messages.correlation}: ${failed.correlationId}`}
        </p>
      )}
      {failed?.status === 403 && <Help refusal={failed} />}
      {onRetry && <Retry error={error} onRetry={onRetry} />}
    </Notice>
  );
}

/** Asks again. Where a limit of requests is reached, the button counts the seconds, and works after them. */
function Retry({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { retry, retryIn } = useFirstMessages();
  const [left, setLeft] = useState(0);
  useLayoutEffect(() => {
    const wait = error instanceof RequestFailed ? (error.retryAfterSeconds ?? 0) : 0;
    const begun = performance.now();
    const show = () => setLeft(Math.max(0, Math.ceil(wait - (performance.now() - begun) / 1000)));
    show();
    if (wait === 0) return;
    const clock = setInterval(show, 1000);
    return () => clearInterval(clock);
  }, [error]);
  return (
    <div>
      <Button disabled={left > 0} onClick={onRetry}>
        {left > 0 ? retryIn(left) : retry}
      </Button>
    </div>
  );
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

interface EmptyProps {
  readonly title: string;
  readonly why?: string;
  readonly children?: ReactNode;
}

/** What would be here, why it is not, and what to do. */
export function Empty({ title, why, children }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <h2>{title}</h2>
      {why && <p>{why}</p>}
      {children}
    </div>
  );
}

/** Stands where an address leads to nothing, with a way out. */
export function Missing() {
  const { notFound, toStart } = useFirstMessages();
  return (
    <Empty title={notFound}>
      <Link to="/">{toStart}</Link>
    </Empty>
  );
}
