"""Write the table of one figure of a paper, and draw it."""

from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.show.draw import picture, tabulate
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.needs import FILES

with job(snakemake.log[0]):
    plan, place = plan_of(snakemake), (snakemake.params.paper, snakemake.params.figure)
    files = {need: paths for need, paths in snakemake.input.items() if need in FILES}
    table = tabulate(plan, *place, files)
    table.write(snakemake.output.table)
    if snakemake.output.pictures:
        unreached = {name: why for path in snakemake.input.sources for name, why in read_unreached(path).items()}
        save_figure(picture(plan, *place, table, unreached), snakemake.output.pictures)
