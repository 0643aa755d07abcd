import type { CompiledModel } from '../model/compiled-model.ts';
import { publishedRefusal } from '../model/published-refusal.ts';
import type { RecordService } from './request/record-service.ts';

type WriteMethods = Pick<
  RecordService,
  | 'create'
  | 'createLinked'
  | 'update'
  | 'updateListItem'
  | 'delete'
  | 'restore'
  | 'associate'
  | 'dissociate'
  | 'linkToOne'
>;

/** Methods that write, whose errors name the columns of the database as clients know them. */
export function publishRefusals(model: CompiledModel, writes: WriteMethods): WriteMethods {
  const told = async <Result>(collection: string, writing: Promise<Result>): Promise<Result> => {
    try {
      return await writing;
    } catch (error) {
      throw publishedRefusal(model, collection, error);
    }
  };
  return {
    create: (name, ...rest) => told(name, writes.create(name, ...rest)),
    createLinked: (name, ...rest) => told(name, writes.createLinked(name, ...rest)),
    update: (name, ...rest) => told(name, writes.update(name, ...rest)),
    updateListItem: (place, ...rest) => told(place.collection, writes.updateListItem(place, ...rest)),
    delete: (name, ...rest) => told(name, writes.delete(name, ...rest)),
    restore: (name, ...rest) => told(name, writes.restore(name, ...rest)),
    associate: (end, ...rest) => told(end.collection, writes.associate(end, ...rest)),
    dissociate: (end, ...rest) => told(end.collection, writes.dissociate(end, ...rest)),
    linkToOne: (end, ...rest) => told(end.collection, writes.linkToOne(end, ...rest)),
  };
}
