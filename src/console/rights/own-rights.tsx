import { lazy, Suspense, useState } from 'react';
import { Button } from '../design/first-controls.tsx';
import { useFirstMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';

const RightsDialog = lazy(async () => ({ default: (await import('./why-refused.tsx')).RightsDialog }));

interface OwnRightsProps {
  readonly environment: string;
  readonly collection: Pick<VisibleCollection, 'name' | 'isReadOnly'>;
}

/** A quiet button that says what the person may do with a collection: who lacks a right sees no button for it, and no reason. */
export function OwnRights({ environment, collection: { name, isReadOnly } }: OwnRightsProps) {
  const { ownRights } = useFirstMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        {ownRights}
      </Button>
      {isOpen && (
        <Suspense>
          <RightsDialog
            subject={{ environment, collection: name }}
            isReadOnly={isReadOnly}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
