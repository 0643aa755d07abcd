import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import { Dialog, Failure, look } from '../design/controls.tsx';
import { ConditionsEditor } from '../grid/conditions-editor.tsx';
import { type FilterGroup, filled } from '../grid/filter-tree.ts';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, type VisibleCollection } from '../model/schema.ts';
import { DraftButtons } from './draft-buttons.tsx';
import { JsonDialog } from './json-dialog.tsx';
import {
  editableScope,
  isUnfilled,
  placeholders,
  type ScopeHolder,
  scopeFrom,
  scopeOf,
  withScope,
} from './team-draft.ts';

interface ScopeDialogProps {
  readonly environment: string;
  readonly document: PermissionFile;
  readonly holder: ScopeHolder;
  readonly collection: string;
  /** Whether the schema that the person sees has the collection. */
  readonly isKnown: boolean;
  readonly onChange: (document: PermissionFile) => void;
  readonly onClose: () => void;
}

type Scope = ReturnType<typeof scopeOf>;

/** The records that somebody has rights on, as conditions; as JSON where the conditions cannot be shown. */
export function ScopeDialog(props: ScopeDialogProps) {
  const { environment, document, holder, collection, isKnown, onChange, onClose } = props;
  const { rights: messages, loading } = useMessages();
  const known = useQuery({ ...collectionQuery({ environment }, collection), enabled: isKnown });
  const scope = scopeOf(document, holder, collection);
  const title = messages.scopeOf(holder.name, collection);
  const take = (next: Scope) => {
    onChange(withScope(document, holder, collection, next));
    onClose();
  };
  if (isKnown && !known.data) {
    return (
      <Dialog title={title} onClose={onClose}>
        {known.error ? <Failure error={known.error} /> : <p className={look.late}>{loading}</p>}
      </Dialog>
    );
  }
  const group = known.data && editableScope(scope, known.data);
  if (!known.data || !group) {
    const read = (value: unknown) => take(value === null ? undefined : (value as Scope));
    return (
      <JsonDialog title={title} why={messages.scopeAsJson} value={scope ?? null} onTake={read} onClose={onClose} />
    );
  }
  return (
    <ScopeForm
      environment={environment}
      title={title}
      collection={known.data}
      begun={filled(group)}
      onTake={take}
      onClose={onClose}
    />
  );
}

interface ScopeFormProps {
  readonly environment: string;
  readonly title: string;
  readonly collection: VisibleCollection;
  readonly begun: FilterGroup;
  readonly onTake: (scope: Scope) => void;
  readonly onClose: () => void;
}

function ScopeForm({ environment, title, collection, begun, onTake, onClose }: ScopeFormProps) {
  const { rights: messages } = useMessages();
  const [group, setGroup] = useState(begun);
  return (
    <Dialog title={title} isUnsaved={group !== begun || undefined} onClose={onClose}>
      <p>{messages.scopeWhy}</p>
      <ConditionsEditor
        environment={environment}
        collection={collection}
        group={group}
        placeholders={placeholders}
        onChange={setGroup}
      />
      {isUnfilled(group) && <p className={look.small}>{messages.unfilled}</p>}
      <DraftButtons isReady={!isUnfilled(group)} onTake={() => onTake(scopeFrom(group))} onClose={onClose} />
    </Dialog>
  );
}
