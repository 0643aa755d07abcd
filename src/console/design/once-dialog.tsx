import { useMutation } from '@tanstack/react-query';
import { useMessages } from '../messages/index.ts';
import styles from './controls.module.css';
import { Button, Buttons, Dialog, Failure, Notice } from './controls.tsx';
import { toast } from './toasts.tsx';

interface OnceDialogProps {
  readonly title: string;
  /** Says that the text is shown once. */
  readonly warning: string;
  readonly until: string;
  readonly text: string;
  readonly copyLabel: string;
  readonly onClose: () => void;
}

/** A link or a secret that nobody can read again. The copy has the focus: a second Enter of whoever sent the form does not lose it. */
export function OnceDialog({ title, warning, until, text, copyLabel, onClose }: OnceDialogProps) {
  const { close, copied } = useMessages();
  const copying = useMutation({
    mutationFn: () => navigator.clipboard.writeText(text),
    onSuccess: () => toast(copied),
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Notice kind="warning" title={warning}>
        <p>{until}</p>
      </Notice>
      <output className={styles['once']}>{text}</output>
      {copying.error && <Failure error={copying.error} />}
      <Buttons>
        <Button onClick={onClose}>{close}</Button>
        <Button look="primary" data-first="" onClick={() => copying.mutate()}>
          {copyLabel}
        </Button>
      </Buttons>
    </Dialog>
  );
}
