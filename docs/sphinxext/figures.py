"""How pictures in the gallery look: set again before each example."""


def style(gallery_conf, fname):
    import matplotlib as mpl
    import seaborn as sns

    sns.set_theme(style="ticks", context="notebook", font_scale=0.9, palette="colorblind")
    mpl.rcParams.update(
        {
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.dpi": 110,
            "savefig.dpi": 160,
            "lines.markersize": 5,
        }
    )
