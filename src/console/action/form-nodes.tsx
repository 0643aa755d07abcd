import { look } from '../design/controls.tsx';
import { ForeignHtml } from '../design/foreign-html.tsx';
import { useMessages } from '../messages/index.ts';
import type { AgentAddress } from '../wire/agent.ts';
import styles from './action.module.css';
import type { ActionForm, FormField, FormNode } from './action-form.ts';
import { FormWidget } from './form-widget.tsx';

interface FormNodesProps {
  readonly agent: AgentAddress;
  readonly form: ActionForm;
  readonly nodes: readonly FormNode[];
  readonly problems: Readonly<Record<string, string>>;
}

/** A form as its code lays it out: fields, rows, separators, HTML. */
export function FormNodes({ agent, form, nodes, problems }: FormNodesProps) {
  return (
    <div className={styles['fields']}>
      {nodes.map((node, index) => (
        <FormNodeView key={keyOf(node, index)} agent={agent} form={form} node={node} problems={problems} />
      ))}
    </div>
  );
}

function FormNodeView({ agent, form, node, problems }: Omit<FormNodesProps, 'nodes'> & { readonly node: FormNode }) {
  switch (node.component) {
    case 'separator':
      return <hr className={styles['separator']} />;
    case 'htmlBlock':
      return <ForeignHtml html={node.content} />;
    case 'row':
      return (
        <div className={styles['columns']}>
          {node.fields.map((part, index) => (
            <FormNodeView key={keyOf(part, index)} agent={agent} form={form} node={part} problems={problems} />
          ))}
        </div>
      );
    case 'page':
      return <FormNodes agent={agent} form={form} nodes={node.elements} problems={problems} />;
    case 'input': {
      const field = form.fields.find((one) => one.field === node.fieldId);
      return field ? <FieldView agent={agent} form={form} field={field} problem={problems[field.field]} /> : null;
    }
  }
}

interface FieldViewProps {
  readonly agent: AgentAddress;
  readonly form: ActionForm;
  readonly field: FormField;
  readonly problem: string | undefined;
}

function FieldView({ agent, form, field, problem }: FieldViewProps) {
  const messages = useMessages();
  const id = `form-${field.field}`;
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>
        {field.label} {field.isRequired && <span className={look.small}>{messages.required}</span>}
      </label>
      <FormWidget agent={agent} form={form} field={field} id={id} isInvalid={problem !== undefined} />
      {field.description && <span className={look.small}>{field.description}</span>}
      {problem && (
        <p className={styles['problem']} id={`${id}-problem`}>
          <span aria-hidden="true">⚠ </span>
          {problem}
        </p>
      )}
    </div>
  );
}

function keyOf(node: FormNode, index: number): string {
  return node.component === 'input' ? node.fieldId : `${node.component} ${index}`;
}
