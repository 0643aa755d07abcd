import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button, Dialog, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { parseExactly } from '../wire/exact-json.ts';
import { DraftButtons } from './draft-buttons.tsx';
import styles from './rights.module.css';

interface JsonDialogProps {
  readonly title: string;
  readonly why: string;
  readonly value: unknown;
  /** Absent where the value can be read only. */
  readonly onTake?: (value: unknown) => void;
  readonly onClose: () => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** A value as JSON, to copy and to change. What it means is checked when the draft is reviewed. */
export function JsonDialog({ title, why, value, onTake, onClose, children }: JsonDialogProps) {
  const { rights: messages, copy, copied } = useMessages();
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const [problem, setProblem] = useState<string>();
  const copying = useMutation({
    mutationFn: () => navigator.clipboard.writeText(text),
    onSuccess: () => toast(copied),
  });
  const take = () => {
    try {
      onTake?.(parseExactly(text));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{why}</p>
      <textarea
        className={styles['json']}
        aria-label={title}
        rows={Math.min(24, text.split('\n').length + 2)}
        spellCheck={false}
        readOnly={onTake === undefined}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {problem !== undefined && <Notice title={messages.notJson(problem)} />}
      {copying.error && <Notice title={copying.error.message} />}
      <DraftButtons onTake={onTake && take} onClose={onClose}>
        {children}
        <Button onClick={() => copying.mutate()}>{copy}</Button>
      </DraftButtons>
    </Dialog>
  );
}
