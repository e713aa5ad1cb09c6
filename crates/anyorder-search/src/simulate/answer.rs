//! A simulated suite as an oracle.

use anyorder_model::{
    Fan, FanRecord, Halted, News, Oracle, Order, PlainAsk, PlainSeen, Rung, Suite, TailRecord, TestIndex,
    Watch, WatchRecord,
};

use super::{SimSuite, World, charge, next};

impl SimSuite {
    fn run_fan(&mut self, fan: &Fan) -> FanRecord {
        let mut chance = self.chance;
        let mut flip =
            |world: &World, test: TestIndex, rate: f64| self.has_luck(world, test, rate, &mut chance);
        let mut world = self.fresh(None);
        let mut prefix = Vec::new();
        self.run_into(&mut world, fan.prefix.tests(), &mut prefix, &mut flip);
        let tails = fan.tails.iter().map(|tail| {
            let mut world = World { cells: world.cells.clone(), looked: None, ..world };
            let mut steps = Vec::with_capacity(tail.len());
            let late = self.run_into(&mut world, tail.tests(), &mut steps, &mut flip);
            self.leave(&mut world, None).into_iter().for_each(|late| charge(&mut steps, late));
            TailRecord { late, steps }
        });
        let tails: Vec<TailRecord> = tails.collect();
        self.chance = chance;
        self.forks += fan.tails.len() as u64 + u64::from(!prefix.is_empty() && fan.tails.len() > 1);
        self.runs += (prefix.len() + fan.tails.iter().map(Order::len).sum::<usize>()) as u64;
        FanRecord { prefix, tails }
    }
}

impl Oracle for SimSuite {
    fn suite(&self) -> &Suite {
        &self.suite
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let records = fans
            .iter()
            .map(|fan| if self.runs >= self.limit { Err(Halted::Budget) } else { Ok(self.run_fan(fan)) });
        let records = records.collect();
        if let Some(questions) = &mut self.questions {
            questions.extend(fans);
        }
        records
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        let seen = asked.iter().map(|asked| {
            if self.runs >= self.limit {
                return Err(Halted::Budget);
            }
            let mut chance = self.chance;
            let rung = asked.rung.unwrap_or(Rung::Plain);
            let mut world = self.fresh(Some(rung));
            let mut steps = Vec::new();
            self.run_into(&mut world, asked.order.tests(), &mut steps, &mut |_, _, rate| {
                next(&mut chance) < rate
            });
            self.leave(&mut world, None).into_iter().for_each(|late| charge(&mut steps, late));
            self.chance = chance;
            self.plain_runs += 1;
            let ids: Vec<&str> = asked.order.ids(&self.suite).iter().map(|id| id.0.as_str()).collect();
            Ok(PlainSeen { steps, rung, is_as_asked: true, command: format!("run {}", ids.join(" ")) })
        });
        seen.collect()
    }

    fn can_watch(&self) -> bool {
        self.eyes.is_some()
    }

    fn watch(&mut self, watches: Vec<Watch>) -> Result<Vec<WatchRecord>, Halted> {
        let eyes = self.eyes.clone().ok_or(Halted::Broken)?;
        let mut record = |watch: &Watch| {
            if self.runs >= self.limit { Err(Halted::Budget) } else { Ok(self.run_watch(&eyes, watch)) }
        };
        watches.iter().map(&mut record).collect()
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, news: News) {
        self.news.push(news);
    }
}
