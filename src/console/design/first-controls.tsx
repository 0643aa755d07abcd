import { Link } from '@tanstack/react-router';
import {
  type ComponentProps,
  createContext,
  type FC,
  type ReactNode,
  use,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
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

/** What the tab is called where no screen has a title. */
const product = 'vendor-cloud';

/** What a screen is called, as its tab is. It gets the focus of whoever comes from another screen by a key. */
export function Title({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A title may change with what the screen has read.
  useEffect(() => {
    document.title = `${heading.current?.textContent} · ${product}`;
  });
  useEffect(
    () => () => {
      document.title = product;
    },
    [],
  );
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
      {/* The same person is refused again. */}
      {onRetry && failed?.status !== 403 && <Retry error={error} onRetry={onRetry} />}
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
