import { noOuterClientInTransaction as rule } from "../../../rules/no-outer-client-in-transaction.js";
import { lintCases } from "../lint-cases.js";

lintCases("What sends over a client that nobody names", rule, {
  "repositories that are injected": `import { Injectable } from "@nestjs/common"; import { InjectRepository } from "@nestjs/typeorm"; import { DataSource, Repository } from "typeorm"; class Order { id = 1; }
@Injectable()
export class Audit {
  constructor(@InjectRepository(Order) private readonly events: Repository<Order>) {}
  async log() { await this.events.insert({}); }
}
@Injectable()
export class Orders {
  constructor(private readonly dataSource: DataSource, @InjectRepository(Order) private readonly orders: Repository<Order>, private readonly audit: Audit) {}
  async place() {
    await this.dataSource.transaction(async (manager) => {
      await manager.save(new Order());
      const order = this.orders.create({});
      await this.orders.save(order); // report through typed
      await this.orders.createQueryBuilder("o").getMany(); // report through typed
      await manager.withRepository(this.orders).save(order);
      await this.audit.log(); // report through typed
    });
  }
  async other() {
    await this.orders.manager.transaction(async (manager) => {
      await manager.getRepository(Order).save({});
      await this.orders.save({}); // report through typed
    });
  }
}`,
  "TypeORM's active records": `import { BaseEntity, DataSource } from "typeorm"; declare const dataSource: DataSource; class Order extends BaseEntity { id = 1; }
export async function place() {
  await dataSource.transaction(async (manager) => {
    const order = new Order();
    await manager.save(order);
    await order.save(); // report never typed
  });
}`,
});
