import { type ReactNode, useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import { Button, Buttons } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';

interface DraftButtonsProps {
  /** Absent for whoever can look only. */
  readonly onTake?: (() => void) | undefined;
  readonly isReady?: boolean;
  readonly onClose: () => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** The end of every dialog that changes the draft of the rights: nothing of it is in the draft before it is used. */
export function DraftButtons({ onTake, isReady = true, onClose, children }: DraftButtonsProps) {
  const { rights: messages, cancel, close } = useMessages();
  return (
    <Buttons>
      {children}
      <Button onClick={onClose}>{onTake ? cancel : close}</Button>
      {onTake && (
        <Button look="primary" disabled={!isReady} onClick={onTake}>
          {messages.take}
        </Button>
      )}
    </Buttons>
  );
}

interface Edited {
  readonly document: PermissionFile;
  readonly mayEdit: boolean;
  readonly onChange: (document: PermissionFile) => void;
  readonly onClose: () => void;
}

/** The rights as a dialog changes them, until somebody uses them or cancels it. */
export function useEdited({ document, mayEdit, onChange, onClose }: Edited) {
  const [edited, setEdited] = useState(document);
  const take = () => {
    if (edited !== document) onChange(edited);
    onClose();
  };
  return { edited, setEdited, isUnsaved: edited !== document || undefined, ...(mayEdit ? { onTake: take } : {}) };
}
