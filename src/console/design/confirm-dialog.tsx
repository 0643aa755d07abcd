import { useMessages } from '../messages/index.ts';
import { Button, Buttons, Dialog, Failure } from './controls.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What happens then. */
  readonly why: string;
  readonly label: string;
  /** The act, as `useMutation` has it. */
  readonly running: { readonly error: Error | null; readonly isPending: boolean; mutate(): void };
  readonly onClose: () => void;
}

/** Asks before something ends that nobody can bring back. */
export function ConfirmDialog({ title, why, label, running, onClose }: ConfirmDialogProps) {
  const { cancel } = useMessages();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{why}</p>
      {running.error && <Failure error={running.error} />}
      <Buttons>
        <Button onClick={onClose}>{cancel}</Button>
        <Button look="danger" disabled={running.isPending} onClick={() => running.mutate()}>
          {label}
        </Button>
      </Buttons>
    </Dialog>
  );
}
