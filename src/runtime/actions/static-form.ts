import { type AnyFormElement, childrenOf, fieldId, isLayout } from '../customizer/any-form-element.ts';
import { type EvaluatedField, type EvaluatedForm, type EvaluatedNode, isEvaluatedField } from './evaluated-form.ts';

/** What a static form shows before anybody has entered something. */
export function staticForm(elements: readonly AnyFormElement[]): Pick<EvaluatedForm, 'nodes' | 'fields'> {
  const nodes = elements.map(staticNode);
  return { nodes, fields: fieldsOfNodes(nodes) };
}

/** The fields of a form in the order they are shown. */
export function fieldsOfNodes(nodes: readonly EvaluatedNode[]): readonly EvaluatedField[] {
  return nodes.flatMap((node) => (isEvaluatedField(node) ? [node] : fieldsOfNodes(node.children)));
}

function staticNode(element: AnyFormElement): EvaluatedNode {
  if (isLayout(element)) return { element, properties: element, children: childrenOf(element).map(staticNode) };
  const value = element['value'] ?? element['defaultValue'];
  return { id: fieldId(element), element, properties: element, value, isWatched: false };
}
