import { useSyncExternalStore } from 'react';
import { useFirstMessages } from '../messages/index.ts';
import { Button } from './first-controls.tsx';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Takes back what was done. */
  readonly undo?: () => void;
}

const shownMs = 6_000;
let toasts: readonly Toast[] = [];
let nextId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Say for six seconds what succeeded. What failed is said where it failed. */
export function toast(text: string, undo?: () => void): void {
  const id = nextId++;
  change([...toasts, { id, text, ...(undo ? { undo } : {}) }]);
  leaveLater(id);
}

/** What succeeded before is not what was refused now. */
export function dropToasts(): void {
  change([]);
}

function leave(id: number): void {
  change(toasts.filter((one) => one.id !== id));
}

/** A toast whose buttons somebody points at or has reached by keyboard stays. */
function leaveLater(id: number): void {
  setTimeout(() => {
    const element = document.getElementById(`toast-${id}`);
    if (element?.matches(':hover, :focus-within')) leaveLater(id);
    else leave(id);
  }, shownMs);
}

export function Toasts() {
  const messages = useFirstMessages();
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={styles['toasts']} role="status" id="toasts" tabIndex={-1}>
      {shown.map(({ id, text, undo }) => (
        <div key={id} id={`toast-${id}`} className={styles['toast']}>
          <span>{text}</span>
          {undo && (
            <Button
              look="quiet"
              onClick={() => {
                leave(id);
                undo();
              }}
            >
              {messages.undo}
            </Button>
          )}
          <Button look="quiet" aria-label={messages.close} onClick={() => leave(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
